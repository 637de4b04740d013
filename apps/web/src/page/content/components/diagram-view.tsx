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

type Drawing = { source: string; theme: string } & ({ picture: DrawnDiagram; address: string } | { problem: string })

/**
 * A Mermaid diagram in a box of one height, whether it shows the source (while it is written, where it has a mistake,
 * when the person asks) or the picture, so that the text below does not move when one takes the other's place.
 */
export function DiagramView(props: { source: string }) {
  const { t } = useTranslation(['cards', 'common'])
  const { source } = props
  const drawing = useDrawing(source)
  const [showsSource, setShowsSource] = useState(false)
  const [isOpen, setIsOpen] = useState(false)
  const picture = drawing !== null && 'picture' in drawing ? drawing : null
  const hasPicture = picture !== null && !showsSource
  return (
    <div className="md-code md-diagram">
      <div className="md-code-h">
        <span>{t('diagram')}</span>
        <span className="md-code-acts">
          {picture !== null && (
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
        {hasPicture ? (
          <DiagramPicture {...picture} />
        ) : (
          <CodeView code={source} language="mermaid" label={t('diagramSource')} />
        )}
        {drawing !== null && 'problem' in drawing && (
          <p className="md-diagram-problem">{t('diagramProblem', { problem: drawing.problem })}</p>
        )}
      </div>
      {picture !== null && (
        <Dialog
          isOpen={isOpen}
          onOpenChange={setIsOpen}
          title={t('diagram')}
          closeLabel={t('common:close')}
          className="dialog--wide"
        >
          <ScrollBox className="md-diagram-large" label={t('diagram')}>
            <DiagramPicture {...picture} />
          </ScrollBox>
        </Dialog>
      )}
    </div>
  )
}

function DiagramPicture(props: { source: string; picture: DrawnDiagram; address: string }) {
  const { t } = useTranslation('cards')
  const { width, height } = props.picture
  return <img src={props.address} width={width} height={height} alt={t('diagramOf', { source: props.source })} />
}

/** Null while the source is still being written and until Mermaid was loaded. */
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
        const picture = await drawDiagram(source, theme)
        address = URL.createObjectURL(new Blob([picture.svg], { type: 'image/svg+xml' }))
        return { source, theme, picture, address }
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
