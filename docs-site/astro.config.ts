import { satteri } from '@astrojs/markdown-satteri'
import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
import { codeTheme } from './src/code-themes.ts'
import { directives } from './src/markdown/directives.ts'
import { sidebar } from './src/sidebar.ts'

/** Pages are served under /docs by the server of the app, with a policy that `tools/` makes out of what the build wrote. */
export default defineConfig({
  base: '/docs',
  trailingSlash: 'always',
  // A file of its own for every style: the policy allows none inside a page.
  build: { inlineStylesheets: 'never' },
  image: { service: passthroughImageService() },
  prefetch: false,
  devToolbar: { enabled: false },
  markdown: { processor: satteri({ features: { headingAttributes: true }, mdastPlugins: [directives] }) },
  vite: { build: { assetsInlineLimit: 0 } },
  integrations: [
    starlight({
      title: 'threadbox',
      favicon: '/favicon.svg',
      locales: {
        root: { label: 'English', lang: 'en' },
        de: { label: 'Deutsch', lang: 'de' },
        it: { label: 'Italiano', lang: 'it' },
        ja: { label: '日本語', lang: 'ja' },
      },
      customCss: ['./src/styles/theme.css'],
      components: {
        PageTitle: './src/components/page-title.astro',
        FallbackContentNotice: './src/components/fallback-notice.astro',
      },
      expressiveCode: {
        themes: [codeTheme('dark'), codeTheme('light')],
        styleOverrides: { borderRadius: '8px', borderColor: 'var(--line)', codeFontSize: '13px' },
        defaultProps: { frame: 'none', wrap: true },
      },
      sidebar,
      credits: false,
      lastUpdated: false,
    }),
  ],
})
