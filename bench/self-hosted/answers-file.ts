/** What bare Fastify answers: a JSON object of answers by path. */
export const ANSWERS_FILE = 'answers.json'
