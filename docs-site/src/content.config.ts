import { defineCollection } from 'astro:content'
import { docsLoader, i18nLoader } from '@astrojs/starlight/loaders'
import { docsSchema, i18nSchema } from '@astrojs/starlight/schema'
import { z } from 'astro/zod'

export const collections = {
  // `original`: the fingerprint of the English page that a translation was made from (tools/translation-state.ts).
  docs: defineCollection({
    loader: docsLoader(),
    schema: docsSchema({ extend: z.object({ original: z.string().optional() }) }),
  }),
  i18n: defineCollection({
    loader: i18nLoader(),
    schema: i18nSchema({ extend: z.object({ 'threadbox.outdated': z.string() }) }),
  }),
}
