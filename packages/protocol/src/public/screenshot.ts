import { z } from 'zod'
import { serviceNameSchema } from './services.ts'

const pixels = z.number().finite().min(-1_000_000).max(1_000_000)

/** A rectangle in CSS pixels of the page's viewport. */
const rectangleSchema = z.strictObject({ x: pixels, y: pixels, width: pixels.min(0), height: pixels.min(0) })

/**
 * What is known about a picture of a preview beside its pixels. `elements` and `consoleErrors` are words of the page, so
 * they are untrusted like its content; bounded, because they go to the model.
 */
export const screenshotSchema = z
  .strictObject({
    /** The page as the sandbox knows it: `http://localhost:8000/path`. */
    url: z.string().max(2000),
    /** Null: the port of a program that is no service. */
    service: serviceNameSchema.nullable(),
    viewport: z.strictObject({
      width: pixels.min(1),
      height: pixels.min(1),
      /** Pixels of the picture for one CSS pixel. */
      scale: z.number().finite().min(0.1).max(10),
      scrollX: pixels.default(0),
      scrollY: pixels.default(0),
    }),
    /** What the picture shows of the viewport. */
    region: rectangleSchema,
    /** What lies under the region, largest first. */
    elements: z
      .array(
        z.strictObject({
          selector: z.string().max(300),
          text: z.string().max(500),
          width: pixels.min(0),
          height: pixels.min(0),
        }),
      )
      .max(40),
    consoleErrors: z.array(z.string().max(1000)).max(20),
    /** What the page shows in the region and no script of it may read, so that the picture is empty there. */
    missing: z
      .array(z.enum(['frame', 'image', 'media']))
      .max(3)
      .optional(),
  })
  .meta({ id: 'Screenshot' })
export type Screenshot = z.infer<typeof screenshotSchema>
