import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/**
 * The build has one entry, index.html: what lies in dev/ is served by the dev server only. Nothing is inlined as a
 * data URL, so that the pages work under a content security policy without exceptions for fonts.
 */
export default defineConfig({
  plugins: [react()],
  build: { outDir: 'dist', assetsInlineLimit: 0, sourcemap: false, chunkSizeWarningLimit: 700 },
  server: {
    port: 5173,
    proxy: { '/api': { target: process.env.THREADBOX_DEV_SERVER ?? 'http://127.0.0.1:7717', ws: true } },
  },
})
