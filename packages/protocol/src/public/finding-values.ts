import { z } from 'zod'

/** The values in a check's finding, by name. */
export const findingValuesSchema = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]),
)
