export { emptyFileChanges, emptyManifest, emptyRescue, nothingCleaned, stopped } from './answers.ts'
export { hostApiSuite } from './host-api.test-suite.ts'
export { connectHostApi } from './host-api-client.ts'
export { type HostStandIn, startHostStandIn } from './host-stand-in.ts'
