import type { ComponentProps, ReactElement } from 'react'
import { Icon, type IconName } from './icon.tsx'

/** Options of {@link Button}: those of `<button>`, its icon and its look. */
export interface ButtonProps extends ComponentProps<'button'> {
  readonly icon?: IconName
  readonly look?: 'primary' | 'danger' | 'quiet' | 'small'
}

/** A button with an icon before its words. */
export function Button({ icon, look, children, ...rest }: ButtonProps): ReactElement {
  return (
    <button type="button" className={look === undefined ? 'button' : `button button-${look}`} {...rest}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  )
}

/** Options of {@link IconButton}. */
export interface IconButtonProps extends ComponentProps<'button'> {
  readonly icon: IconName
  /** For screen readers. */
  readonly label: string
}

/** A button that is only an icon. */
export function IconButton({ icon, label, ...rest }: IconButtonProps): ReactElement {
  return (
    <button type="button" className="icon-button" aria-label={label} {...rest}>
      <Icon name={icon} />
    </button>
  )
}

/** Options of {@link RunButton}. */
export interface RunButtonProps {
  /** Whether the call runs. The button then stops it. */
  readonly busy: boolean
  readonly label: string
  /** @default 'play' */
  readonly icon?: IconName
  /** Whether everything is there to start. */
  readonly ready: boolean
  readonly onRun: () => void
  readonly onStop: () => void
  /** Shows the keys that do the same: Ctrl+Enter and Escape. @default false */
  readonly hint?: boolean
}

/** The main button of a panel: it starts a call and then stops it. */
export function RunButton(props: RunButtonProps): ReactElement {
  const { busy, label, icon = 'play', ready, onRun, onStop, hint = false } = props
  const keys = busy ? ['Esc'] : ['Ctrl', 'Enter']
  return (
    <>
      {hint && (
        <span className="key-hint" aria-hidden="true">
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </span>
      )}
      <Button look="primary" icon={busy ? 'stop' : icon} disabled={!busy && !ready} onClick={busy ? onStop : onRun}>
        {busy ? 'Stop' : label}
      </Button>
    </>
  )
}

/** Options of {@link Chips}. */
export interface ChipsProps<Item> {
  /** For screen readers. */
  readonly label: string
  readonly items: readonly Item[]
  readonly onChoose: (item: Item) => void
  readonly disabled?: boolean
}

/** Small buttons that each bring a text. */
export function Chips<Item extends { readonly title: string }>(props: ChipsProps<Item>): ReactElement {
  const { label, items, onChoose, disabled } = props
  return (
    <div className="chips" role="group" aria-label={label}>
      {items.map((item) => (
        <button key={item.title} type="button" className="chip" disabled={disabled} onClick={() => onChoose(item)}>
          {item.title}
        </button>
      ))}
    </div>
  )
}
