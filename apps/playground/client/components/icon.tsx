import type { ReactElement } from 'react'

const PATHS = {
  play: 'M7 4.5v15l12-7.5z',
  stop: 'M6 6h12v12H6z',
  download: 'M12 4v11m-5-5 5 5 5-5M5 20h14',
  replay: 'M4 12a8 8 0 1 0 2.6-5.9M4 4v4.5h4.5',
  microphone:
    'M12 15a3.5 3.5 0 0 0 3.5-3.5v-5a3.5 3.5 0 0 0-7 0v5A3.5 3.5 0 0 0 12 15zm-6.5-4a6.5 6.5 0 0 0 13 0M12 17.5V21',
  upload: 'M12 16V5m-5 5 5-5 5 5M5 20h14',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  copy: 'M9 9h11v11H9zM15 5V4H4v11h1',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6 6 18',
  arrow: 'M4 12h15m-6-6 6 6-6 6',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
} as const

/** Name of an {@link Icon}. */
export type IconName = keyof typeof PATHS

const FILLED: ReadonlySet<IconName> = new Set(['play', 'stop'])

/** A small icon beside a label. Screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }): ReactElement {
  return (
    <svg className={FILLED.has(name) ? 'icon icon-filled' : 'icon'} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
