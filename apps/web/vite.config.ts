import path from 'node:path'
import react from '@vitejs/plugin-react'
import { build, defineConfig, type Plugin } from 'vite'

/**
 * Builds the scripts that the server adds to previewed pages. Each is one plain script with a fixed name: the first one
 * has to run before a page’s own scripts.
 */
function previewBridge(): Plugin {
  return {
    name: 'preview-bridge',
    apply: 'build',
    async generateBundle() {
      for (const name of ['bridge', 'painter']) {
        const entry = path.join(import.meta.dirname, 'src/preview-bridge', `${name}.ts`)
        const lib = { entry, formats: ['iife' as const], name: 'threadbox', fileName: name }
        const built = await build({
          configFile: false,
          logLevel: 'error',
          publicDir: false,
          build: { write: false, lib },
        })
        for (const output of [built].flat()) {
          if (!('output' in output)) continue
          this.emitFile({ type: 'asset', fileName: `preview-bridge/${name}.js`, source: output.output[0].code })
        }
      }
    },
  }
}

const devServer = process.env.THREADBOX_DEV_SERVER ?? 'http://127.0.0.1:7717'

/**
 * The build has one entry, index.html; only the development server serves dev/. Nothing is inlined as a data URL, so
 * that the pages work under a content security policy without exceptions for fonts.
 */
export default defineConfig({
  plugins: [react(), previewBridge()],
  build: { outDir: 'dist', assetsInlineLimit: 0, sourcemap: false, chunkSizeWarningLimit: 700 },
  server: {
    port: 5173,
    proxy: {
      '/api': { target: devServer, ws: true },
      // Where providers send browsers back to.
      '/sign-in': { target: devServer },
    },
  },
})
