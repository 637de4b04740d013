import { useTranslation } from 'react-i18next'
import { nameOfPath, shownName } from '../../../page/content/state/names.logic.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import type { SaveConflict } from '../api/save-text.ts'
import { type ComparedLine, comparedLines } from '../state/compared-lines.logic.ts'

/** The file was changed or removed by others since it was read: you decide what happens. */
export function SaveConflictDialog(props: {
  path: string
  conflict: SaveConflict
  /** The text in the editor. */
  mine: string
  isPending: boolean
  onOverwrite: () => void
  onReload: () => void
  onClose: () => void
}) {
  const { t } = useTranslation('files')
  const { conflict } = props
  const isGone = conflict.version === null
  const name = shownName(nameOfPath(props.path))
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={isGone ? t('conflict.goneTitle', { name }) : t('conflict.title', { name })}
      description={isGone ? t('conflict.goneText') : t('conflict.text')}
      closeLabel={t('conflict.keep')}
      {...(conflict.text === null ? {} : { className: 'dialog--wide' })}
      footer={
        <>
          <Button size="md" variant="ghost" onClick={props.onReload}>
            {isGone ? t('conflict.reload') : t('conflict.takeTheirs')}
          </Button>
          <span className="grow" />
          <Button size="md" onClick={props.onClose} autoFocus>
            {t('conflict.keep')}
          </Button>
          <Button
            size="md"
            variant="primary"
            className="btn--danger"
            isLoading={props.isPending}
            onClick={props.onOverwrite}
          >
            {isGone ? t('conflict.recreate') : t('conflict.overwrite')}
          </Button>
        </>
      }
    >
      {conflict.text !== null && <BothTexts mine={props.mine} theirs={conflict.text} />}
    </Dialog>
  )
}

/** Both texts side by side; lines that only one of them has are marked. */
function BothTexts(props: { mine: string; theirs: string }) {
  const { t } = useTranslation('files')
  const { mine, theirs } = comparedLines(props.mine, props.theirs)
  return (
    <div className="both-texts">
      <OneText title={t('conflict.mine')} lines={mine} />
      <OneText title={t('conflict.theirs')} lines={theirs} />
    </div>
  )
}

function OneText(props: { title: string; lines: readonly ComparedLine[] }) {
  const { t } = useTranslation('files')
  return (
    <section>
      <h4>{props.title}</h4>
      <ScrollBox className="code both-text" label={props.title}>
        {props.lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
          <div key={index} className={line.isOwn ? 'is-own' : undefined}>
            {line.isOwn && <span className="sr">{t('conflict.onlyHere')}</span>}
            {line.text}
            {'\n'}
          </div>
        ))}
      </ScrollBox>
    </section>
  )
}
