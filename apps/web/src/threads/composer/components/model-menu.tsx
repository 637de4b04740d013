import { useNavigate } from '@tanstack/react-router'
import { Plug } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { useModels } from '../../../people/models/api/models.queries.ts'
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../../../ui/menu.tsx'

/** The connected models, to select one. */
export function ModelMenu(props: {
  trigger: ReactNode
  currentId: string | null
  onChoose: (modelId: string | null) => void
}) {
  const { t } = useTranslation('composer')
  const navigate = useNavigate()
  const format = useFormat()
  const { data: models = [] } = useModels()
  return (
    <Menu trigger={props.trigger} side="top" label={t('model')}>
      {models.map((model) => (
        <MenuChoice
          key={model.id}
          isChosen={model.id === props.currentId}
          end={
            model.contextTokens === null ? undefined : t('contextSize', { tokens: format.count(model.contextTokens) })
          }
          onSelect={() => props.onChoose(model.id)}
        >
          {model.name}
        </MenuChoice>
      ))}
      {models.length > 0 && <MenuSeparator />}
      <MenuItem
        icon={<Plug className="i" size={14} />}
        onSelect={() => void navigate({ to: '/settings/$section', params: { section: 'models' } })}
      >
        {t('connectModel')}
      </MenuItem>
    </Menu>
  )
}
