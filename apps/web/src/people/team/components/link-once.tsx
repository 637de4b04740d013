import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../page/parts/copy-button.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'

/** A link with a secret, shown once. Closing the dialog removes it from the page. */
export function LinkOnce(props: { title: string; text: string; path: string; onClose: () => void }) {
  const { t } = useTranslation(['people', 'common'])
  const url = `${location.origin}${props.path}`
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={props.title}
      description={props.text}
      closeLabel={t('common:close')}
      footer={
        <>
          <span className="grow" />
          <Button size="md" onClick={props.onClose}>
            {t('invite.done')}
          </Button>
        </>
      }
    >
      <div className="model-form">
        <Field label={t('invite.link')}>
          {(control) => (
            <Input {...control} className="mono" value={url} readOnly onFocus={(event) => event.target.select()} />
          )}
        </Field>
        <div>
          <CopyButton text={url} size="md" isPrimary />
        </div>
      </div>
    </Dialog>
  )
}
