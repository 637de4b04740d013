import { useQuery } from '@tanstack/react-query'
import type { Display } from '@threadbox/sdk'
import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { CodeView } from '../../../page/content/components/code-view.tsx'
import { HtmlView } from '../../../page/content/components/html-view.tsx'
import { Markdown } from '../../../page/content/components/markdown.tsx'
import {
  bestItemOf,
  type DisplayItem,
  type DisplayKind,
  descriptionOf,
  imageAddressOf,
} from '../state/displays.logic.ts'

/** One rich result of a cell, in the best form that can be shown. */
export function DisplayView(props: { display: Display }) {
  const best = bestItemOf(props.display)
  if (best === null) return <DownloadOnly display={props.display} />
  return <Shown kind={best.kind} item={best.item} display={props.display} />
}

function Shown(props: { kind: DisplayKind; item: DisplayItem; display: Display }) {
  const { t } = useTranslation('cards')
  const client = useClient()
  const { item, kind } = props
  const address = item.url === undefined ? null : client.urlOf(item.url)
  const description = descriptionOf(props.display)
  if (kind === 'image') {
    const source = address ?? imageAddressOf(item)
    if (source === null) return null
    return (
      <figure className="fig">
        <a href={source} target="_blank" rel="noreferrer" aria-label={t('openImage')}>
          <img src={source} alt={description ?? t('chartWithoutDescription')} loading="lazy" />
        </a>
      </figure>
    )
  }
  if (kind === 'pdf') {
    if (address === null) return <DownloadOnly display={props.display} />
    return <iframe className="frame-pdf" src={address} title={t('pdfTitle')} />
  }
  if (kind === 'html') return <HtmlView html={item.text} address={address ?? undefined} />
  return <TextItem kind={kind} item={item} address={address} />
}

function TextItem(props: { kind: DisplayKind; item: DisplayItem; address: string | null }) {
  const { t } = useTranslation('cards')
  const fetched = useQuery({
    queryKey: ['display-text', props.address],
    enabled: props.item.text === undefined && props.address !== null,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const response = await fetch(props.address ?? '', { signal })
      return (await response.text()).slice(0, 200_000)
    },
  })
  const text = props.item.text ?? fetched.data
  if (text === undefined) return <div className="out">{fetched.isError ? t('outputFailed') : t('loadingResult')}</div>
  if (props.kind === 'markdown') return <Markdown className="display-text">{text}</Markdown>
  if (props.kind === 'json') return <CodeView code={prettyJson(text)} language="json" label={t('output')} />
  return <pre className="out out-text out-text--all">{text}</pre>
}

function DownloadOnly(props: { display: Display }) {
  const { t } = useTranslation('cards')
  const client = useClient()
  const format = useFormat()
  const item = props.display.items.find((candidate) => candidate.url !== undefined)
  if (item?.url === undefined) return null
  return (
    <a className="card-foot link row-flex" href={client.urlOf(item.url)} download>
      <Download className="i" size={14} />
      {t('downloadResult', { type: item.mediaType, size: format.bytes(item.sizeBytes) })}
    </a>
  )
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
