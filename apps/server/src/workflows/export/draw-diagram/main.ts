import { parentPort } from 'node:worker_threads'
import { renderMermaidSVG } from 'beautiful-mermaid'

/** A thread that draws Mermaid sources one by one; null for one that it cannot draw. It may be ended at any moment. */
parentPort?.on('message', (source: string) => parentPort?.postMessage(draw(source)))

function draw(source: string): string | null {
  try {
    // The drawing names a font of another host, which a picture in a page may not and need not load.
    return renderMermaidSVG(source).replace(/\s*@import url\([^)]*\);/g, '')
  } catch {
    return null
  }
}
