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
