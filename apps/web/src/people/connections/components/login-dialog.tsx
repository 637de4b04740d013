import type { ConnectionLogin } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'

/** Shows the address of a sign-in page before you go there, because the MCP server chose it. */
export function LoginDialog(props: { name: string; login: ConnectionLogin; onClose: () => void }) {
  const { t } = useTranslation(['connections', 'common'])
  const { name, login } = props
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={t('login.title', { name })}
      description={t('login.text', { host: login.host })}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={props.onClose}>
          <a className="btn btn--primary btn--md" href={login.authorizationUrl} rel="noreferrer">
            {t('login.go', { host: login.host })}
          </a>
        </DialogActions>
      }
    >
      {undefined}
    </Dialog>
  )
}
