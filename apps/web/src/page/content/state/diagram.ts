import mermaid from 'mermaid'

export type DrawnDiagram = { svg: string; width: number; height: number }

/**
 * Renders a Mermaid diagram as an image: shown as one, its scripts, links and styles can’t affect the page. Its text
 * can’t change how it is drawn in ways that would load something.
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
  return sizedImage(svg)
}

const looks = ['theme', 'themeCSS', 'themeVariables', 'fontFamily', 'altFontFamily', 'htmlLabels', 'dompurifyConfig']

/** An `img` requires a size in the SVG, and XML that a strict parser accepts. */
function sizedImage(svg: string): DrawnDiagram {
  const root = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg')
  if (root === null) throw new Error('Mermaid drew nothing.')
  const [, , width = 0, height = 0] = (root.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  root.setAttribute('width', String(Math.ceil(width)))
  root.setAttribute('height', String(Math.ceil(height)))
  root.style.removeProperty('max-width')
  return { svg: new XMLSerializer().serializeToString(root), width: Math.ceil(width), height: Math.ceil(height) }
}
