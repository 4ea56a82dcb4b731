// Lets `style` set custom properties.

import type { AriaRole } from 'react'

declare module 'react' {
  interface CSSProperties {
    readonly [name: `--${string}`]: string | number
  }
}

/** Makes this file a module, so that it adds to React's types instead of replacing them. */
export type { AriaRole }
