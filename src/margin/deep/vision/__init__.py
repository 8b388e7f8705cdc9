"""Networks that see more than a class: masks, captions, answers to questions."""

from margin.deep.vision.captioning.answerer import QuestionAnswerer
from margin.deep.vision.captioning.captioner import Caption, Captioner
from margin.deep.vision.captioning.questions import Asked
from margin.deep.vision.captioning.report import CaptionReport, caption_report
from margin.deep.vision.segmentation.report import SegmentationReport, segmentation_report
from margin.deep.vision.segmentation.segmenter import Segmenter

__all__ = [
    "Asked",
    "Caption",
    "CaptionReport",
    "Captioner",
    "QuestionAnswerer",
    "SegmentationReport",
    "Segmenter",
    "caption_report",
    "segmentation_report",
]
