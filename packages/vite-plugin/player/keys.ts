/** A step of the arrow keys, in seconds. */
const STEP_SECONDS = 5

/** What keys do. */
export interface KeyActions {
  readonly toggle: () => void
  readonly toggleCaptions: () => void
  readonly changeSpeed: (step: 1 | -1) => void
  readonly goParagraph: (step: 1 | -1) => void
  /** Seeks by seconds. */
  readonly skip: (seconds: number) => void
}

/** Runs the action of a key. Other keys, and keys with Ctrl, Alt or Meta, stay the page's. */
export function handleKey(event: Event, actions: KeyActions): void {
  if (!(event instanceof KeyboardEvent) || event.ctrlKey || event.metaKey || event.altKey) return
  const { target, key, shiftKey } = event
  const byKey: Readonly<Record<string, () => void>> = {
    k: actions.toggle,
    c: actions.toggleCaptions,
    '<': () => actions.changeSpeed(-1),
    '>': () => actions.changeSpeed(1),
    arrowleft: () => (shiftKey ? actions.goParagraph(-1) : actions.skip(-STEP_SECONDS)),
    arrowright: () => (shiftKey ? actions.goParagraph(1) : actions.skip(STEP_SECONDS)),
  }
  const isSpace = key === ' ' && target instanceof HTMLInputElement
  // A list of choices has keys of its own.
  const isChoice = target instanceof HTMLSelectElement
  const action = isSpace ? actions.toggle : isChoice ? undefined : byKey[key.toLowerCase()]
  if (action === undefined) return
  event.preventDefault()
  action()
}
