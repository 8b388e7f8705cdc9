"""Networks that see more than a class: masks, captions, answers to questions, proposals of objects, styles."""

from margin.deep.vision.captioning.answerer import QuestionAnswerer
from margin.deep.vision.captioning.captioner import Caption, Captioner
from margin.deep.vision.captioning.questions import Asked
from margin.deep.vision.captioning.report import CaptionReport, caption_report
from margin.deep.vision.proposals.deepmask import DeepMask, Detection, Proposal
from margin.deep.vision.proposals.report import ProposalReport, proposal_report
from margin.deep.vision.segmentation.report import SegmentationReport, segmentation_report
from margin.deep.vision.segmentation.segmenter import Segmenter
from margin.deep.vision.style.transfer import StyleStep, StyleTransfer

__all__ = [
    "Asked",
    "Caption",
    "CaptionReport",
    "Captioner",
    "DeepMask",
    "Detection",
    "Proposal",
    "ProposalReport",
    "QuestionAnswerer",
    "SegmentationReport",
    "Segmenter",
    "StyleStep",
    "StyleTransfer",
    "caption_report",
    "proposal_report",
    "segmentation_report",
]
