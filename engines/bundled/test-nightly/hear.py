"""Counts the words that a recognizer mishears in spoken sentences.

    python hear.py SENTENCES FOLDER MODEL

SENTENCES has a line for each file of FOLDER, 000.wav and on: the text, a bar, and how people say it. The better of the two
counts. Prints each sentence with errors, then the errors, the words and the share.
"""
import re
import sys

import jiwer
from faster_whisper import WhisperModel
from whisper_normalizer.english import EnglishTextNormalizer

sentences, folder, model = sys.argv[1:4]
normalize = EnglishTextNormalizer()


def words(text):
    """The text with numbers as digits, and one spelling of what has two."""
    text = re.sub(r'(\d)\.(\d\d)(?=\s?[ap]\.?m)', r'\1:\2', text)
    text = re.sub(r'\b([ap])\s?\.?\s?m\b\.?', r'\1m', text)
    text = normalize(re.sub(r'(\d)([ap]m)', r'\1 \2', text))
    text = re.sub(r'(\d+)(st|nd|rd|th)\b', r'\1', text)
    text = re.sub(r'(?<=\d)[-–: ](?=\d)', '', text)
    for apart, one in (('chat room', 'chatroom'), ('web hook', 'webhook'), ('wi fi', 'wifi'), ('p88', 'page 88')):
        text = text.replace(apart, one)
    return text.replace("james's", "james'").replace(',', '').replace('-', ' ')


recognizer = WhisperModel(model, device='cpu', compute_type='int8')
errors = total = 0
for number, line in enumerate(open(sentences)):
    segments, _ = recognizer.transcribe(f'{folder}/{number:03d}.wav', language='en', beam_size=5)
    heard = ' '.join(segment.text for segment in segments).strip()
    counts = []
    for text in line.rstrip('\n').split('|'):
        said = words(text)
        result = jiwer.process_words(said, words(heard))
        counts.append((result.substitutions + result.deletions + result.insertions, len(said.split())))
    wrong, count = min(counts)
    errors, total = errors + wrong, total + count
    if wrong:
        print(f'{wrong}  {line.split("|")[0]}  heard: {heard}')
print(f'{errors} of {total} words, {100 * errors / total:.2f} %')
sys.exit(errors > 0.04 * total)
