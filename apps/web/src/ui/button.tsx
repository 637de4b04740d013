import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Glyph } from './glyph.tsx'
import { Tooltip } from './tooltip.tsx'

export type ButtonProps = Omit<ComponentProps<'button'>, 'disabled'> & {
  variant?: 'default' | 'primary' | 'ghost'
  size?: 'sm' | 'md' | 'lg' | undefined
  icon?: ReactNode
  isBlock?: boolean
  /** Shows the spinner instead of the icon. The button does nothing while it is true. */
  isLoading?: boolean
  isDisabled?: boolean
  /** Why the button is disabled; shown as a tooltip. Implies `isDisabled`. */
  disabledReason?: string | undefined
}

/** A button that stays focusable while disabled, so that the reason can be read. */
export function Button(props: ButtonProps) {
  const { variant, size, icon, isBlock, isLoading, isDisabled, disabledReason, className, children, ...rest } = props
  const isOff = isDisabled === true || disabledReason !== undefined || isLoading === true
  const button = (
    <button
      type="button"
      {...rest}
      className={classNames(
        'btn',
        variant === 'primary' && 'btn--primary',
        variant === 'ghost' && 'btn--ghost',
        size !== undefined && `btn--${size}`,
        isBlock && 'btn--block',
        className,
      )}
      aria-disabled={isDisabled === true || disabledReason !== undefined || undefined}
      aria-busy={isLoading || undefined}
      onClick={(event) => (isOff ? event.preventDefault() : rest.onClick?.(event))}
    >
      {isLoading ? <Glyph state="waking" /> : icon}
      {children}
    </button>
  )
  return disabledReason === undefined ? button : <Tooltip label={disabledReason}>{button}</Tooltip>
}
