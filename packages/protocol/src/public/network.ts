import { z } from 'zod'

/** Sets of names that a policy can allow together; `GET /network` lists the names in each. */
export const networkPresets = ['package-registries', 'github'] as const
export type NetworkPreset = (typeof networkPresets)[number]

/** Where a policy can be set. Each level can only narrow those before it. */
export const networkLevels = ['installation', 'workspace', 'agent', 'thread'] as const
export type NetworkLevel = (typeof networkLevels)[number]

/** Most names that one policy lists. */
export const maxNetworkNames = 200

/**
 * What sandboxes reach on the internet. `allowlist`: hosts with these names, at the ports 80 and 443. `*.example.com` is
 * everything below `example.com`, but not `example.com` itself. `example.com:8443` is that port alone.
 */
export const networkPolicySchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('open') }),
    z.strictObject({
      kind: z.literal('allowlist'),
      names: z.array(z.string().max(1000)).max(maxNetworkNames).readonly(),
      presets: z.array(z.enum(networkPresets)).max(networkPresets.length).readonly(),
    }),
    z.strictObject({ kind: z.literal('none') }),
  ])
  .meta({ id: 'NetworkPolicy' })
export type NetworkPolicy = z.infer<typeof networkPolicySchema>

/** `null`: sets nothing, so that only the outer levels apply. */
export const setNetworkPolicySchema = z.strictObject({ policy: networkPolicySchema.nullable() })
export type SetNetworkPolicy = z.input<typeof setNetworkPolicySchema>

const effectiveNetworkSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open') }),
  z.object({ kind: z.literal('allowlist'), names: z.array(z.string()) }),
  z.object({ kind: z.literal('none') }),
])

/** Most services in private networks that the owner lists. */
export const maxPrivateAddresses = 100

/**
 * A service in a private network that sandboxes can reach if their policies allow its name: at this port, and only while
 * all addresses of the name are in `range`, such as `10.1.2.0/24`.
 */
export const privateAddressSchema = z
  .strictObject({ name: z.string().max(1000), port: z.number().int(), range: z.string().max(1000) })
  .meta({ id: 'PrivateAddress' })
export type PrivateAddress = z.infer<typeof privateAddressSchema>

/** `GET` and `PUT /network/private-addresses`: the whole list. */
export const privateAddressesSchema = z
  .strictObject({ addresses: z.array(privateAddressSchema).max(maxPrivateAddresses).readonly() })
  .meta({ id: 'PrivateAddresses' })
export type PrivateAddresses = z.infer<typeof privateAddressesSchema>

/** The levels that apply, from the outside in: the last one is that of the request. */
export const networkSchema = z
  .object({
    levels: z.array(z.object({ level: z.enum(networkLevels), policy: networkPolicySchema.nullable() })),
    /** What all levels allow together, with the names of presets. */
    effective: effectiveNetworkSchema,
    /** The levels that decide it. */
    sources: z.array(z.enum(networkLevels)),
    /** Services in private networks that the levels allow, as `name:port`. */
    privateNames: z.array(z.string()),
  })
  .meta({ id: 'Network' })
export type Network = z.infer<typeof networkSchema>

/** `GET /network`. */
export const installationNetworkSchema = networkSchema
  .extend({
    presets: z.array(
      z.object({
        id: z.enum(networkPresets),
        names: z.array(z.object({ name: z.string(), reason: z.string() })),
      }),
    ),
  })
  .meta({ id: 'InstallationNetwork' })
export type InstallationNetwork = z.infer<typeof installationNetworkSchema>

const networkNameSchema = z.object({
  name: z.string(),
  count: z.number().int(),
  /** It was asked for more often than the counter records. */
  isAtLeast: z.boolean(),
})

/**
 * Why a name was refused. `policy`: no list has it. `address-private`: it has only private addresses, and isn’t listed with
 * them. `address-out-of-range`: it is listed with ranges of private addresses, and has another one.
 */
export const refusedReasons = ['policy', 'address-private', 'address-out-of-range'] as const
export type RefusedReason = (typeof refusedReasons)[number]

/** `GET /threads/{threadId}/network`. */
export const threadNetworkSchema = networkSchema
  .extend({
    /** False while the thread’s sandbox still has an earlier policy, because the host can’t be reached. */
    isApplied: z.boolean(),
    /**
     * Names that programs in the sandbox asked for; null if the host can’t be reached. `reached`: each got an address,
     * and whether anything was sent there is not known.
     */
    activity: z
      .object({
        /** Earlier ones are not recorded. Null: none are recorded. */
        knownSince: z.number().nullable(),
        reached: z.array(networkNameSchema),
        /** As `name`, `name:port` or `address:port`. */
        refused: z.array(networkNameSchema.extend({ reason: z.enum(refusedReasons) })),
      })
      .nullable(),
  })
  .meta({ id: 'ThreadNetwork' })
export type ThreadNetwork = z.infer<typeof threadNetworkSchema>

/** `POST /threads/{threadId}/network/names`: adds the name to each level whose list refuses it. */
export const allowNetworkNameSchema = z.strictObject({ name: z.string().max(1000) })
export type AllowNetworkName = z.infer<typeof allowNetworkNameSchema>
