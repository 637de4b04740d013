import { z } from 'zod'

/** As ranges: the API’s document states the pattern without a flag, and `\p{Cc}` requires one. */
const controls = String.raw`\u0000-\u001f\u007f-\u009f\u2028\u2029`

/** The name that a person gives to something: one line of text. */
export const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(new RegExp(`^[^${controls}]*$`), 'must be one line without control characters')

/** Characters that change the direction of what follows them: with one, a name could look like another. */
const directions = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`

/** The name of a person, as others see it. */
export const personNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(new RegExp(`^[^${controls}${directions}]*$`), 'must be one line without control characters')

/** Length is the only rule for a password, because it is the one that helps. Counted in UTF-16 code units. */
export const newPasswordSchema = z.string().min(12).max(128)
