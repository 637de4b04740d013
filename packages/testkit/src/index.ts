export { isFailure, type ModelReply, type ScriptedAnswer, type ScriptedCall } from './model-server/model-reply.ts'
export { type ModelServer, type ReplyRule, startModelServer } from './model-server/model-server.ts'
export { type RecordedMessage, type RecordedRequest, wholeText } from './model-server/recorded-request.ts'
