import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const indexSchema = z.object({
  cwd: z.string().nullable(),
  executable: z.string(),
  variables: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      outcome: z.enum(['kept', 'lost']),
      method: z.enum(['data', 'source', 'import', 'none']),
      bytes: z.number().nullable(),
      reason: z.string(),
    }),
  ),
  groups: z.array(z.object({ names: z.array(z.string()) })),
  workers: z.array(z.object({ name: z.string(), type: z.string(), reason: z.string() })),
  problems: z.array(z.string()),
})
export type KernelIndex = z.infer<typeof indexSchema>

/** What a kernel claims to have written. It comes from a user's process: only its form is trusted. */
export function readKernelIndex(directory: string): KernelIndex {
  return indexSchema.parse(JSON.parse(readFileSync(join(directory, 'index.json'), 'utf8')))
}

const lineSchema = z.object({
  begun: z.number().optional(),
  number: z.number().optional(),
  verdicts: z.record(z.string(), z.string()).optional(),
  failed: z.string().optional(),
  results: z.record(z.string(), z.string()).optional(),
  problems: z.array(z.string()).optional(),
  done: z.boolean().optional(),
})
export type ProgressLine = z.infer<typeof lineSchema>

/** A process's progress, line by line; leaves out an unfinished line. */
export function readProgress(path: string): ProgressLine[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return []
  }
  return text.split('\n').flatMap((line) => {
    try {
      return [lineSchema.parse(JSON.parse(line))]
    } catch {
      return []
    }
  })
}
