import { z } from 'zod'

/**
 * What the host daemon and the DNS process send each other over a socket pair: one JSON object per line. The DNS process
 * reads what sandboxes send, so the host accepts nothing but these shapes from it, in lines of limited length.
 */
const brokered = z.array(z.string()).optional()
const privateAddresses = z.array(z.object({ name: z.string(), port: z.number(), range: z.string() })).optional()
const egressSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open'), brokered, privateAddresses }),
  z.object({ kind: z.literal('allowlist'), names: z.array(z.string()), brokered, privateAddresses }),
  z.object({ kind: z.literal('none'), brokered, privateAddresses }),
])
/** `isRelay`: it asks for all sandboxes. */
const clientSchema = z.object({ address: z.ipv4(), egress: egressSchema, isRelay: z.boolean().optional() })
const sequence = z.number().int().min(0)

/** From the host daemon. Each order with a sequence gets `applied` once it applies to every later question. */
export const namesOrderSchema = z.discriminatedUnion('type', [
  /** The first order: all clients. Before it, no question is read. */
  z.object({ type: z.literal('clients'), clients: z.array(clientSchema) }),
  z.object({ type: z.literal('set'), sequence, client: clientSchema }),
  z.object({ type: z.literal('remove'), sequence, address: z.ipv4() }),
  /** The reply to `virtual`; null: there is none. */
  z.object({ type: z.literal('stands-for'), id: sequence, address: z.ipv4().nullable() }),
])
export type NamesOrder = z.infer<typeof namesOrderSchema>

/** A hostname as {@link readableName} writes it. */
const readableSchema = z.string().regex(/^[a-z0-9._?-]{1,253}$/)

/** From the DNS process. */
export const namesReportSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('serving') }),
  z.object({ type: z.literal('applied'), sequence }),
  /** A client got an address of a name, or its policy kept it from the name. */
  z.object({ type: z.enum(['answered', 'refused']), address: z.ipv4(), name: readableSchema }),
  /** Asks for the address that stands for a name, for a client that reaches it through the relay. */
  z.object({ type: z.literal('virtual'), id: sequence, address: z.ipv4(), name: readableSchema }),
])
export type NamesReport = z.infer<typeof namesReportSchema>

/** The longest is half as long. */
export const longestReport = 1024

/**
 * Accepts text as it arrives and returns complete lines. Throws if one is longer than the limit, and buffers no more than
 * that.
 */
export function makeLineReader(longest: number): (chunk: string) => string[] {
  let pending = ''
  return (chunk) => {
    const lines = (pending + chunk).split('\n')
    pending = lines.pop() ?? ''
    if ([pending, ...lines].some((line) => line.length > longest)) throw new Error('a line is too long')
    return lines
  }
}
