import { screen, within } from '@testing-library/react'

/** The names of all visible elements of a role, in their order. */
export function namesOf(role: string, inside?: HTMLElement): string[] {
  const elements = inside === undefined ? screen.queryAllByRole(role) : within(inside).queryAllByRole(role)
  return elements.map((element) => element.getAttribute('aria-label') ?? element.textContent)
}

/** A button by its whole name. */
export function button(name: string | RegExp): HTMLButtonElement {
  return screen.getByRole<HTMLButtonElement>('button', { name })
}

/** Everything that screen readers announce: what is new in live regions. */
export function announced(): string {
  const regions = [...screen.queryAllByRole('status'), ...screen.queryAllByRole('alert')]
  return regions
    .map(({ textContent }) => textContent)
    .filter((text) => text !== '')
    .join(' | ')
}
