import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { Group } from '../../../page/parts/section.tsx'
import { Button } from '../../../ui/button.tsx'
import { useMe } from '../../auth/api/session.queries.ts'
import { EraseDialog } from './leaving-dialogs.tsx'

/** A copy of what is one’s own, and the end of one’s account. */
export function OwnData() {
  const { t } = useTranslation('people')
  const client = useClient()
  const me = useMe().data
  const [isDeleting, setDeleting] = useState(false)
  if (me === undefined) return null
  return (
    <Group title={t('leaving.own.title')}>
      <p className="help">{t('leaving.own.exportText')}</p>
      <div className="row-flex">
        <a className="btn btn--md" href={client.leaving.exportUrl()} download>
          {t('leaving.own.export')}
        </a>
        {!me.isOwner && (
          <Button size="md" className="btn--danger" onClick={() => setDeleting(true)}>
            {t('leaving.own.delete')}
          </Button>
        )}
      </div>
      {me.isOwner && <p className="help">{t('leaving.own.ownerText')}</p>}
      {isDeleting && (
        <EraseDialog person={me} isOwn onErased={() => location.assign('/login')} onClose={() => setDeleting(false)} />
      )}
    </Group>
  )
}
