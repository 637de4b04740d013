import { useTranslation } from 'react-i18next'
import { Dialog } from '../../../ui/dialog.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { closeLayer, useLayer } from '../../client/layers.ts'
import { keysOf } from '../state/key-caps.ts'
import { shortcutGroups } from '../state/shortcuts.ts'

/** The list of shortcuts. Shown while it is the open layer. */
export function ShortcutsDialog() {
  const { t } = useTranslation(['help', 'common'])
  const layer = useLayer('shortcuts')
  return (
    <Dialog
      isOpen={layer !== null}
      onOpenChange={(isOpen) => !isOpen && closeLayer('shortcuts')}
      title={t('title')}
      closeLabel={t('common:close')}
      className="shortcuts"
    >
      {(Object.keys(shortcutGroups) as (keyof typeof shortcutGroups)[]).map((group) => (
        <section key={group} aria-label={t(`group.${group}`)}>
          <h3>{t(`group.${group}`)}</h3>
          <dl>
            {shortcutGroups[group].map(([name, keys]) => (
              <div key={name}>
                <dt>{t(name)}</dt>
                <dd>
                  {keysOf(keys).map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
