import { z } from 'zod'
import { serviceNameSchema } from './services.ts'

const pixels = z.number().finite().min(-1_000_000).max(1_000_000)

/** A rectangle in CSS pixels of the page's viewport. */
const rectangleSchema = z.strictObject({ x: pixels, y: pixels, width: pixels.min(0), height: pixels.min(0) })

/**
 * What is known about a screenshot of a preview beyond its pixels. `elements` and `consoleErrors` are text of the page,
 * so they are untrusted like its content; bounded, because they go to the model.
 */
export const screenshotSchema = z
  .strictObject({
    /** The page’s address inside the sandbox: `http://localhost:8000/path`. */
    url: z.string().max(2000),
    /** Null: the port belongs to a program that is not a service. */
    service: serviceNameSchema.nullable(),
    viewport: z.strictObject({
      width: pixels.min(1),
      height: pixels.min(1),
      /** Image pixels per CSS pixel. */
      scale: z.number().finite().min(0.1).max(10),
      scrollX: pixels.default(0),
      scrollY: pixels.default(0),
    }),
    /** The part of the viewport in the image. */
    region: rectangleSchema,
    /** Elements under the region, largest first. */
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
    /** Content in the region that the page’s scripts can’t read, so that the image is empty there. */
    missing: z
      .array(z.enum(['frame', 'image', 'media']))
      .max(3)
      .optional(),
  })
  .meta({ id: 'Screenshot' })
export type Screenshot = z.infer<typeof screenshotSchema>
