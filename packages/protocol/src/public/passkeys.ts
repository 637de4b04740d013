import { z } from 'zod'
import { nameSchema } from './names.ts'

/** Bytes as the browser’s `toJSON()` writes them. */
const bytesSchema = (maxCharacters: number) =>
  z
    .string()
    .max(maxCharacters)
    .regex(/^[A-Za-z0-9_-]*$/, 'must be base64url')

/** WebAuthn allows credential IDs of up to 1023 bytes. */
const credentialIdSchema = bytesSchema(1364).min(1)
const typeSchema = z.literal('public-key')

/** What `navigator.credentials.get()` returns, as JSON. Members that are not listed are ignored. */
export const passkeyAssertionSchema = z
  .object({
    id: credentialIdSchema,
    rawId: credentialIdSchema,
    type: typeSchema,
    response: z.object({
      clientDataJSON: bytesSchema(8192),
      authenticatorData: bytesSchema(8192),
      signature: bytesSchema(8192),
      userHandle: bytesSchema(128).nullish(),
    }),
  })
  .meta({ id: 'PasskeyAssertion' })
export type PasskeyAssertion = z.infer<typeof passkeyAssertionSchema>

/** What `navigator.credentials.create()` returns, as JSON. Members that are not listed are ignored. */
export const passkeyRegistrationSchema = z
  .object({
    id: credentialIdSchema,
    rawId: credentialIdSchema,
    type: typeSchema,
    response: z.object({
      clientDataJSON: bytesSchema(8192),
      attestationObject: bytesSchema(65_536),
      transports: z.array(z.string().max(32)).max(16).optional(),
    }),
  })
  .meta({ id: 'PasskeyRegistration' })
export type PasskeyRegistration = z.infer<typeof passkeyRegistrationSchema>

/** `POST /auth/passkey` */
export const passkeySignInSchema = z.strictObject({ assertion: passkeyAssertionSchema })
export type PasskeySignIn = z.input<typeof passkeySignInSchema>

/** `POST /passkeys` */
export const addPasskeySchema = z.strictObject({ name: nameSchema, registration: passkeyRegistrationSchema })
export type AddPasskey = z.input<typeof addPasskeySchema>

/** `PATCH /passkeys/{id}` */
export const renamePasskeySchema = z.strictObject({ name: nameSchema })
export type RenamePasskey = z.input<typeof renamePasskeySchema>

export const passkeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    /** The host of the app at which it was added: it works at no other. */
    host: z.string(),
    createdAt: z.number().int(),
    lastUsedAt: z.number().int().nullable(),
  })
  .meta({ id: 'Passkey' })
export type Passkey = z.infer<typeof passkeySchema>

/** `GET /passkeys`: the oldest first. */
export const passkeysSchema = z.object({ passkeys: z.array(passkeySchema) }).meta({ id: 'Passkeys' })
export type Passkeys = z.infer<typeof passkeysSchema>

const transportSchema = z.enum(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])
export const passkeyTransports = transportSchema.options
export type PasskeyTransport = z.infer<typeof transportSchema>

const descriptorSchema = z.object({
  id: z.string(),
  type: typeSchema,
  transports: z.array(transportSchema).optional(),
})

/** The `publicKey` of `navigator.credentials.get()`, as JSON. Valid for 5 minutes, once, in the browser that asked. */
export const passkeyRequestSchema = z
  .object({
    challenge: z.string(),
    rpId: z.string(),
    timeout: z.number().int(),
    userVerification: z.literal('required'),
    /** Empty when signing in: the browser offers those that it has for this host. */
    allowCredentials: z.array(descriptorSchema),
  })
  .meta({ id: 'PasskeyRequest' })
export type PasskeyRequest = z.infer<typeof passkeyRequestSchema>

/** The `publicKey` of `navigator.credentials.create()`, as JSON. Valid like a `PasskeyRequest`. */
export const newPasskeyRequestSchema = z
  .object({
    challenge: z.string(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: typeSchema, alg: z.number().int() })),
    timeout: z.number().int(),
    excludeCredentials: z.array(descriptorSchema),
    authenticatorSelection: z.object({
      residentKey: z.literal('required'),
      requireResidentKey: z.boolean(),
      userVerification: z.literal('required'),
    }),
    attestation: z.literal('none'),
  })
  .meta({ id: 'NewPasskeyRequest' })
export type NewPasskeyRequest = z.infer<typeof newPasskeyRequestSchema>
