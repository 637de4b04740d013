import { useTranslation } from 'react-i18next'
import { useModels } from '../../../people/models/api/models.queries.ts'
import { exampleMessages } from '../state/examples.ts'

/** Small buttons above an empty composer that fill it, while no model is connected. */
export function ExampleMessages(props: { onInsert: (text: string) => void }) {
  const { t } = useTranslation('empty')
  const models = useModels()
  if (models.data?.length !== 0) return null
  return (
    <fieldset className="examples">
      <legend className="sr">{t('commands')}</legend>
      {exampleMessages.map((message) => (
        <button
          key={message}
          type="button"
          className="btn btn--sm mono"
          aria-label={t('insert', { command: message })}
          onClick={() => props.onInsert(message)}
        >
          {message}
        </button>
      ))}
    </fieldset>
  )
}
