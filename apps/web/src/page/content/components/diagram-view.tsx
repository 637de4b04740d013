import { Code, Copy, Maximize2, Workflow } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsCodeFenceIncomplete } from 'streamdown'
import { Dialog } from '../../../ui/dialog.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import { copyText } from '../../client/copy-text.ts'
import { useTheme } from '../../client/theme.ts'
import type { DrawnDiagram } from '../state/diagram.ts'
import { CodeView } from './code-view.tsx'

type Drawing = { source: string; theme: string } & ({ image: DrawnDiagram; address: string } | { problem: string })

/**
 * A Mermaid diagram in a box of constant height, so that the text below doesn’t move. It shows the source while it is
 * being written, if it has a mistake, or on request, and the image otherwise.
 */
export function DiagramView(props: { source: string }) {
  const { t } = useTranslation(['cards', 'common'])
  const { source } = props
  const drawing = useDrawing(source)
  const [showsSource, setShowsSource] = useState(false)
  const [isOpen, setIsOpen] = useState(false)
  const image = drawing !== null && 'image' in drawing ? drawing : null
  const showsImage = image !== null && !showsSource
  return (
    <div className="md-code md-diagram">
      <div className="md-code-h">
        <span>{t('diagram')}</span>
        <span className="md-code-acts">
          {image !== null && (
            <>
              <IconButton
                size="sm"
                label={showsSource ? t('showDiagram') : t('showSource')}
                onClick={() => setShowsSource(!showsSource)}
              >
                {showsSource ? <Workflow className="i" size={14} /> : <Code className="i" size={14} />}
              </IconButton>
              <IconButton size="sm" label={t('enlargeDiagram')} onClick={() => setIsOpen(true)}>
                <Maximize2 className="i" size={14} />
              </IconButton>
            </>
          )}
          <IconButton size="sm" label={t('copyCode')} onClick={() => void copyText(source)}>
            <Copy className="i" size={14} />
          </IconButton>
        </span>
      </div>
      <div className="md-diagram-box">
        {showsImage ? (
          <DiagramImage {...image} />
        ) : (
          <CodeView code={source} language="mermaid" label={t('diagramSource')} />
        )}
        {drawing !== null && 'problem' in drawing && (
          <p className="md-diagram-problem">{t('diagramProblem', { problem: drawing.problem })}</p>
        )}
      </div>
      {image !== null && (
        <Dialog
          isOpen={isOpen}
          onOpenChange={setIsOpen}
          title={t('diagram')}
          closeLabel={t('common:close')}
          className="dialog--wide"
        >
          <ScrollBox className="md-diagram-large" label={t('diagram')}>
            <DiagramImage {...image} />
          </ScrollBox>
        </Dialog>
      )}
    </div>
  )
}

function DiagramImage(props: { source: string; image: DrawnDiagram; address: string }) {
  const { t } = useTranslation('cards')
  const { width, height } = props.image
  return <img src={props.address} width={width} height={height} alt={t('diagramOf', { source: props.source })} />
}

/** Null while the source is being written and until Mermaid is loaded. */
function useDrawing(source: string): Drawing | null {
  const theme = useTheme()
  const isIncomplete = useIsCodeFenceIncomplete()
  const [drawing, setDrawing] = useState<Drawing | null>(null)
  useEffect(() => {
    if (isIncomplete) return
    let isCurrent = true
    let address = ''
    const draw = async (): Promise<Drawing> => {
      const { drawDiagram } = await import('../state/diagram.ts')
      try {
        const image = await drawDiagram(source, theme)
        address = URL.createObjectURL(new Blob([image.svg], { type: 'image/svg+xml' }))
        return { source, theme, image, address }
      } catch (error) {
        return { source, theme, problem: problemOf(error) }
      }
    }
    void draw().then((drawn) => {
      if (isCurrent) setDrawing(drawn)
      else URL.revokeObjectURL(address)
    })
    return () => {
      isCurrent = false
      URL.revokeObjectURL(address)
    }
  }, [source, theme, isIncomplete])
  return drawing?.source === source && drawing.theme === theme ? drawing : null
}

/** The first line: the rest repeats the source with arrows below it. */
function problemOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n')[0]?.trim() ?? ''
}
