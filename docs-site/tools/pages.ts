import { type DefaultTreeAdapterTypes, parse } from 'parse5'

type Element = DefaultTreeAdapterTypes.Element
type Node = DefaultTreeAdapterTypes.Node

/** An attribute in the source of a page; `start` and `end` enclose its name, its quotes and the space before it. */
export type PlacedAttribute = { value: string; start: number; end: number }
export type PlacedLink = PlacedAttribute & { isInMain: boolean }

/** What the checks and the content policy need to know of a built page. */
export type PageFacts = {
  ids: Set<string>
  /** Addresses that a person follows. */
  links: PlacedLink[]
  /** Addresses that the browser loads with the page. */
  resources: string[]
  inlineScripts: string[]
  inlineStyles: string[]
  styleAttributes: PlacedAttribute[]
  /** Offset of `</head>`. */
  headEnd: number
}

/** Reads a page as a browser does. */
export function readPage(html: string): PageFacts {
  const facts: PageFacts = {
    ids: new Set(),
    links: [],
    resources: [],
    inlineScripts: [],
    inlineStyles: [],
    styleAttributes: [],
    headEnd: html.indexOf('</head>'),
  }
  visit(parse(html, { sourceCodeLocationInfo: true }), false)
  return facts

  function visit(node: Node, isInMain: boolean): void {
    const isElement = 'attrs' in node
    if (isElement) note(node, isInMain)
    const children = 'content' in node ? node.content.childNodes : 'childNodes' in node ? node.childNodes : []
    for (const child of children) visit(child, isInMain || (isElement && node.tagName === 'main'))
  }

  function note(element: Element, isInMain: boolean): void {
    const id = attribute(element, 'id')
    if (id !== undefined) facts.ids.add(id.value)
    const style = attribute(element, 'style')
    if (style !== undefined) facts.styleAttributes.push(style)
    const href = attribute(element, 'href')
    if (href !== undefined && element.tagName === 'a') facts.links.push({ ...href, isInMain })
    if (href !== undefined && element.tagName === 'link') facts.resources.push(href.value)
    for (const name of ['src', 'poster', 'data']) {
      const source = attribute(element, name)
      if (source !== undefined) facts.resources.push(source.value)
    }
    if (element.tagName === 'script' && attribute(element, 'src') === undefined)
      facts.inlineScripts.push(textOf(element))
    if (element.tagName === 'style') facts.inlineStyles.push(textOf(element))
  }
}

function attribute(element: Element, name: string): PlacedAttribute | undefined {
  const found = element.attrs.find((one) => one.name === name)
  const location = element.sourceCodeLocation?.attrs?.[name]
  if (found === undefined || location === undefined) return undefined
  return { value: found.value, start: location.startOffset - 1, end: location.endOffset }
}

function textOf(element: Element): string {
  return element.childNodes.map((node) => ('value' in node ? node.value : '')).join('')
}
