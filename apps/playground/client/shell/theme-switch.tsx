import { type ReactElement, useEffect } from 'react'
import { Icon, type IconName } from '../components/button.tsx'
import { readStored, useShared } from '../lib/store.ts'

const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const LABELS: Readonly<Record<Theme, { readonly label: string; readonly icon: IconName }>> = {
  system: { label: 'System', icon: 'system' },
  light: { label: 'Light', icon: 'sun' },
  dark: { label: 'Dark', icon: 'moon' },
}

const KEY = 'theme'

/** Applies the stored theme before the first paint. */
export function applyStoredTheme(): void {
  document.documentElement.dataset['theme'] = readStored<string>(KEY, 'system')
}

/** Switches between light, dark and the system's theme. The browser stores the choice. */
export function ThemeSwitch(): ReactElement {
  const [theme, setTheme] = useShared<Theme>(KEY, 'system')
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme
  }, [theme])
  return (
    <fieldset className="theme-switch gap-half">
      <legend className="visually-hidden">Theme</legend>
      {THEMES.map((name) => (
        <label key={name} title={LABELS[name].label}>
          <input
            type="radio"
            name="theme"
            className="visually-hidden"
            checked={theme === name}
            onChange={() => setTheme(() => name)}
          />
          <Icon name={LABELS[name].icon} />
          <span className="visually-hidden">{LABELS[name].label}</span>
        </label>
      ))}
    </fieldset>
  )
}
