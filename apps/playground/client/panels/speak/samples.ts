/** Texts to start with. The embedded voices speak English. */
export const SAMPLES: readonly { readonly title: string; readonly text: string }[] = [
  {
    title: 'Story',
    text: 'The old clock on the wall had stopped many years ago. Nobody in the house could remember when. Then one day the clock began to move, and everyone stopped to listen.',
  },
  {
    title: 'Announcement',
    text: 'Good morning. The train to the coast leaves at seven forty-five from platform three. [pause 0.6s] Please keep your ticket ready.',
  },
  {
    title: 'Phone menu',
    text: 'Thank you for calling. For opening hours, press one. [pause 0.4s] For a person, press two. [pause 0.4s] To hear this again, press three.',
  },
  {
    title: 'Long read',
    text: longRead(),
  },
]

function longRead(): string {
  const paragraph =
    'The harbour wakes before the town does. Boats come in with the first light, and the gulls follow them over the water. ' +
    'On the quay, people sort the catch into boxes of ice, and count them, and call the numbers to each other. ' +
    'By eight the market is open. By nine the best of it is gone, and the streets smell of bread and coffee.'
  return Array.from({ length: 6 }, () => paragraph).join('\n\n')
}
