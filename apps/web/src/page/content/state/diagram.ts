import mermaid from 'mermaid'

export type DrawnDiagram = { svg: string; width: number; height: number }

/**
 * Draws a Mermaid diagram as a picture: no script, no link and no style of it can act on the page, because it is shown
 * as an image. Its text may not change how it is drawn where that would load something.
 * @throws when the source has a mistake; the message names the line.
 */
export async function drawDiagram(source: string, theme: 'light' | 'dark'): Promise<DrawnDiagram> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    theme: theme === 'dark' ? 'dark' : 'neutral',
    fontFamily: 'system-ui, sans-serif',
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    maxTextSize: 50_000,
    maxEdges: 500,
    secure: ['secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'maxEdges', 'suppressErrorRendering', ...looks],
  })
  const { svg } = await mermaid.render(`diagram-${crypto.randomUUID()}`, source)
  return asPicture(svg)
}

const looks = ['theme', 'themeCSS', 'themeVariables', 'fontFamily', 'altFontFamily', 'htmlLabels', 'dompurifyConfig']

/** An image needs a size of its own and XML that a strict reader accepts. */
function asPicture(svg: string): DrawnDiagram {
  const root = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg')
  if (root === null) throw new Error('Mermaid drew nothing.')
  const [, , width = 0, height = 0] = (root.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  root.setAttribute('width', String(Math.ceil(width)))
  root.setAttribute('height', String(Math.ceil(height)))
  root.style.removeProperty('max-width')
  return { svg: new XMLSerializer().serializeToString(root), width: Math.ceil(width), height: Math.ceil(height) }
}
