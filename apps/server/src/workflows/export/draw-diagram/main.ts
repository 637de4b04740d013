import { parentPort } from 'node:worker_threads'
import { renderMermaidSVG } from 'beautiful-mermaid'

/**
 * A worker thread that draws Mermaid sources one by one and replies null for a source that it cannot draw. It can be
 * terminated at any moment.
 */
parentPort?.on('message', (source: string) => parentPort?.postMessage(draw(source)))

function draw(source: string): string | null {
  try {
    // The drawing imports a font from another host; an image in a page cannot load it and does not need it.
    return renderMermaidSVG(source).replace(/\s*@import url\([^)]*\);/g, '')
  } catch {
    return null
  }
}
