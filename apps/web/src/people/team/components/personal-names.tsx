import type { PersonalNames } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'

const kinds = ['secrets', 'gitCredentials', 'connections'] as const

/** Names of what is a person’s own, by kind. */
export function PersonalNamesList({ names }: { names: PersonalNames }) {
  const { t } = useTranslation('people')
  return (
    <ul className="names">
      {kinds
        .filter((kind) => names[kind].length > 0)
        .map((kind) => (
          <li key={kind}>
            {t(`leaving.personal.${kind}`)}: <b>{names[kind].join(', ')}</b>
          </li>
        ))}
    </ul>
  )
}

/** Asks before others can work in a thread in which one’s own secrets and connections work. */
export function PersonalDialog(props: { names: PersonalNames; onProceed: () => void; onClose: () => void }) {
  const { t } = useTranslation(['people', 'common'])
  const { names, onProceed, onClose } = props
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('leaving.personal.title')}
      description={t('leaving.personal.text')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={onClose} autoFocusCancel>
          <Button
            size="md"
            variant="primary"
            onClick={() => {
              onClose()
              onProceed()
            }}
          >
            {t('leaving.personal.action')}
          </Button>
        </DialogActions>
      }
    >
      <PersonalNamesList names={names} />
    </Dialog>
  )
}
