import { z } from 'zod'

export const hostLimitsSchema = z.object({
  memoryBytes: z.number().int().positive(),
  cpus: z.number().positive(),
  processes: z.number().int().positive(),
  diskBytes: z.number().int().positive(),
})
