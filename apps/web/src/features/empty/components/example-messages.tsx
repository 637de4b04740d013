import { useTranslation } from 'react-i18next'
import { exampleMessages } from '../state/examples.ts'

/** Small buttons above an empty message field that fill it. */
export function ExampleMessages(props: { onInsert: (text: string) => void }) {
  const { t } = useTranslation('empty')
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
