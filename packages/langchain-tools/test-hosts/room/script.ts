/** An event in the room. */
export interface RoomStep {
  readonly kind: 'speech' | 'cough' | 'music' | 'melody' | 'talk-over' | 'silence'
  /** What the user says. */
  readonly said?: string
  /** When it begins: in the silence of the room, or after so many seconds of an answer. @default in silence */
  readonly answerSecond?: number
  /** What plays the melody. */
  readonly instrument?: string
  /** Length of music, and of silence after an answer. */
  readonly seconds?: number
}

/** Each turn that the user begins has the next of these answers. A scripted model writes them, 15 ms per character. */
export const ANSWERS: readonly string[] = [
  'The train to the coast leaves at seven in the morning. It stops in two small towns on the way. You can buy a ticket at the station. The journey takes about three hours.',
  'The old museum is open from nine in the morning. It is closed on the first day of the week. There is a large garden behind the house. Children can go in for nothing.',
  'It will rain in the morning and clear in the afternoon. The wind comes from the west. Take a warm coat with you. The evening will be dry and cold.',
  'You can also take the bus from the market place. It leaves every half hour. The last one goes at ten in the evening. Keep your ticket until you arrive.',
]

/**
 * Something of everything, about two minutes. The music is an organ, in which the bundled recognizer hears nothing. It
 * hears words in the melodies.
 */
export const SCRIPT: readonly RoomStep[] = [
  { kind: 'silence', seconds: 3 },
  { kind: 'speech', said: 'When does the train leave in the morning?' },
  { kind: 'cough', answerSecond: 2 },
  { kind: 'silence', seconds: 2 },
  { kind: 'cough' },
  { kind: 'speech', said: 'When is the old museum open?' },
  { kind: 'music', answerSecond: 2, seconds: 5 },
  { kind: 'silence', seconds: 2 },
  { kind: 'speech', said: 'Will it rain in the morning?' },
  { kind: 'melody', answerSecond: 2, instrument: 'guitar' },
  { kind: 'silence', seconds: 2 },
  { kind: 'melody', instrument: 'high hum' },
  { kind: 'speech', said: 'Is the museum open on the first day of the week?' },
  { kind: 'melody', answerSecond: 1, instrument: 'gliding whistle' },
  { kind: 'silence', seconds: 2 },
  { kind: 'speech', said: 'When does the last bus leave?' },
  { kind: 'talk-over', answerSecond: 4, said: 'Is there another way to get there?' },
  { kind: 'silence', seconds: 2 },
]
