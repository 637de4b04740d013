import {
  type EgressApi,
  egressAnswerUnknown,
  egressContract,
  egressUnreachable,
  makeContractApi,
} from '@threadbox/protocol/egress'
import { sendOver } from '../programs/unix-requests.ts'

/** An order ends connections, which takes milliseconds. */
const orderTimeoutMs = 10_000

/** Connects to the egress process’s socket for the host. */
export function makeEgressClient(options: { socketPath: string; signal: AbortSignal }): EgressApi {
  const unreachable = (cause: unknown) => egressUnreachable({}, { cause })
  return makeContractApi(egressContract, sendOver({ ...options, unreachable, orderTimeoutMs }), egressAnswerUnknown)
}
