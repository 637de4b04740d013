export { freePort } from './free-port/free-port.ts'
export { type GitTestServer, startGitServer } from './git-server/git-server.ts'
export { type LoginServer, startLoginServer } from './login-server/login-server.ts'
export { type LoginGate, startLoginGate } from './mcp-server/login-gate.ts'
export { type McpTestServer, type McpTestTool, startMcpServer } from './mcp-server/mcp-server.ts'
export { isFailure, type ModelReply, type ScriptedAnswer, type ScriptedCall } from './model-server/model-reply.ts'
export { type ModelServer, type ReplyRule, startModelServer } from './model-server/model-server.ts'
export { type RecordedMessage, type RecordedRequest, wholeText } from './model-server/recorded-request.ts'
export { type IssuerScript, type ScriptedIssuer, startScriptedIssuer } from './oidc-issuer/scripted-issuer.ts'
export { unpackPreviousRelease } from './previous-release/previous-release.ts'
export { bareContainerPrefix } from './test-host/bare-containers.ts'
export { sandboxPids } from './test-host/driver-records.ts'
export {
  type CommandResult,
  type HostAnswer,
  type HostEventLog,
  type HostRequests,
  makeHostRequests,
} from './test-host/host-requests.ts'
export { kill } from './test-host/kill.ts'
export { findLeftovers, removeLeftovers } from './test-host/leftovers.ts'
export { makeOwnedDirectory } from './test-host/owned-directory.ts'
export { claim } from './test-host/process-claim.ts'
export { builtGuestVariable, testGuest } from './test-host/test-guest.ts'
export { fillDiskSlots, startTestHost, type TestHost } from './test-host/test-host.ts'
export { findTestMachine, testRoot, testVolume } from './test-host/test-machine.ts'
export { noteStart, type Started, startRecordVariable } from './test-process/start-record.ts'
export {
  builtProgramsVariable,
  inspectRemovedLogs,
  type ProgramLog,
  type ProgramName,
  programFile,
  programLogs,
} from './test-process/test-process.ts'
export { type OwnerToken, startTestServer, type TestServer } from './test-server/test-server.ts'
