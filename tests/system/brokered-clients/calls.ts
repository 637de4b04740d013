import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect'
import { process } from '@threadbox/protocol/guest'

/** Number of messages in each direction of a stream. */
export const messages = 20

/** A gRPC service, by a definition that the product has. */
export function serveCalls(router: ConnectRouter): void {
  router.service(process.Process, {
    list: (_, context) => {
      context.responseHeader.set('in-header', 'of list')
      context.responseTrailer.set('in-trailer', 'of list')
      return { processes: [{ pid: 7, tag: 'x'.repeat(200_000) }] }
    },
    start: async function* (_, context) {
      for (let pid = 0; pid < messages; pid++) yield { event: { event: { case: 'start', value: { pid } } } }
      context.responseTrailer.set('in-trailer', 'of start')
    },
    streamInput: async (stream, context) => {
      let count = 0
      for await (const _ of stream) count++
      context.responseTrailer.set('in-trailer', `${count} messages`)
      return {}
    },
    sendSignal: () => {
      throw new ConnectError('there is no such process', Code.NotFound, { 'in-trailer': 'of a failure' })
    },
  })
}
