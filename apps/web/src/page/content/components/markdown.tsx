import { withMathMarks } from '@threadbox/sdk'
import { Copy } from 'lucide-react'
import { type ComponentProps, cloneElement, isValidElement, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import remarkMath from 'remark-math'
import { type Components, defaultRehypePlugins, defaultRemarkPlugins, type ExtraProps, Streamdown } from 'streamdown'
import { classNames } from '../../../ui/class-names.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { copyText } from '../../client/copy-text.ts'
import { useCardActions } from '../state/card-context.ts'
import { displayMathClass, remarkDisplayMath } from '../state/math.logic.ts'
import { pathOfCode } from '../state/paths.logic.ts'
import { rehypePaths } from '../state/rehype-paths.ts'
import { CodeView } from './code-view.tsx'
import { DiagramView } from './diagram-view.tsx'
import { Formula } from './formula.tsx'
import { PathLink } from './path-link.tsx'

type PropsOf<Tag extends keyof React.JSX.IntrinsicElements> = React.JSX.IntrinsicElements[Tag] & ExtraProps

/**
 * Text of a model. Images are never fetched (an address in a text could leak secrets), links open in a new tab without
 * a referrer, and HTML is reduced to harmless elements.
 */
export function Markdown(props: { children: string; isStreaming?: boolean; className?: string }) {
  return (
    <Streamdown
      className={classNames('say', props.className)}
      mode={props.isStreaming === true ? 'streaming' : 'static'}
      parseIncompleteMarkdown={props.isStreaming === true}
      components={components}
      remarkPlugins={remarkPlugins}
      rehypePlugins={rehypePlugins}
      controls={false}
      linkSafety={{ enabled: false }}
    >
      {withMathMarks(props.children)}
    </Streamdown>
  )
}

/** A single dollar is not a delimiter here: `withMathMarks` has already decided which ones are. */
const remarkPlugins: ComponentProps<typeof Streamdown>['remarkPlugins'] = [
  ...Object.values(defaultRemarkPlugins),
  [remarkMath, { singleDollarTextMath: false }],
  remarkDisplayMath,
]
const rehypePlugins = [...Object.values(defaultRehypePlugins), rehypePaths]

const components: Components = {
  a: Anchor,
  img: ImageReference,
  inlineCode: InlineCode,
  code: BlockCode,
  pre: Block,
  table: (props: PropsOf<'table'>) => (
    <div className="md-table">
      <table>{props.children}</table>
    </div>
  ),
  thead: plain('thead'),
  tbody: plain('tbody'),
  tr: plain('tr'),
  th: aligned('th'),
  td: aligned('td'),
  h1: plain('h3'),
  h2: plain('h3'),
  h3: plain('h4'),
  h4: plain('h4'),
  h5: plain('h4'),
  h6: plain('h4'),
  ul: plain('ul'),
  ol: (props: PropsOf<'ol'>) => <ol start={props.start}>{props.children}</ol>,
  li: (props: PropsOf<'li'>) => <li className={props.className}>{props.children}</li>,
  p: plain('p'),
  hr: () => <hr />,
  strong: plain('strong'),
  blockquote: plain('blockquote'),
  sub: plain('sub'),
  sup: plain('sup'),
  section: plain('section'),
}

/** The element without the renderer’s classes; the stylesheet matches `.say p`. */
function plain(
  Tag: 'h3' | 'h4' | 'ul' | 'p' | 'strong' | 'blockquote' | 'sub' | 'sup' | 'section' | 'thead' | 'tbody' | 'tr',
) {
  return (props: ExtraProps & { children?: ReactNode }) => <Tag>{props.children}</Tag>
}

function aligned(Tag: 'th' | 'td') {
  return (props: ComponentProps<'th'> & ExtraProps) => <Tag style={props.style}>{props.children}</Tag>
}

function Anchor(props: PropsOf<'a'>) {
  const path = props.node?.properties.dataPath
  if (typeof path === 'string') return <PathLink path={path}>{props.children}</PathLink>
  const href = props.href ?? ''
  if (!/^(?:https?:|mailto:)/i.test(href)) return <>{props.children}</>
  return (
    <a className="link" href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      {props.children}
    </a>
  )
}

/** An image in a text is named, not fetched. */
function ImageReference(props: PropsOf<'img'>) {
  const { t } = useTranslation('cards')
  const source = typeof props.src === 'string' ? props.src : ''
  const label = props.alt === undefined || props.alt === '' ? t('image') : props.alt
  if (!/^https?:/i.test(source)) return <span className="faint">{label}</span>
  return (
    <a className="link" href={source} target="_blank" rel="noopener noreferrer nofollow" title={source}>
      {label}
    </a>
  )
}

function InlineCode(props: PropsOf<'code'>) {
  const { knownPaths } = useCardActions()
  const text = textOf(props.children)
  const classes = props.className?.split(' ') ?? []
  if (classes.includes(displayMathClass)) return <Formula tex={text} isDisplay />
  if (classes.includes('language-math')) return <Formula tex={text} isDisplay={false} />
  const path = pathOfCode(text, knownPaths)
  if (path === null) return <code>{props.children}</code>
  return (
    <PathLink path={path}>
      <code>{props.children}</code>
    </PathLink>
  )
}

/** Code in `pre` is a block: this mark distinguishes it from inline code. */
function Block(props: PropsOf<'pre'>) {
  const { children } = props
  return isValidElement<object>(children) ? cloneElement(children, { 'data-block': 'true' } as object) : children
}

function BlockCode(props: PropsOf<'code'>) {
  const { t } = useTranslation('cards')
  const language = /language-([\w+#-]+)/.exec(props.className ?? '')?.[1] ?? ''
  const code = textOf(props.children).replace(/\n$/, '')
  if (language === 'math') return <Formula tex={code} isDisplay />
  if (language === 'mermaid') return <DiagramView source={code} />
  return (
    <div className="md-code">
      <div className="md-code-h">
        <span>{language}</span>
        <IconButton size="sm" label={t('copyCode')} onClick={() => void copyText(code)}>
          <Copy className="i" size={14} />
        </IconButton>
      </div>
      <CodeView code={code} language={language} label={t('code')} />
    </div>
  )
}

function textOf(children: ReactNode): string {
  if (typeof children === 'string' || typeof children === 'number') return String(children)
  if (Array.isArray(children)) return children.map(textOf).join('')
  if (isValidElement<{ children?: ReactNode }>(children)) return textOf(children.props.children)
  return ''
}
