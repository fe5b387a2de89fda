"""The spreading models that come with the package, by name."""

from earwitness_relationships.propagation.models import SpreadingModel
from earwitness_relationships.propagation.models.cascades import IndependentCascade, LinearThreshold, Sir
from earwitness_relationships.propagation.models.rounds import Pull, Push, PushPull
from earwitness_relationships.propagation.models.rumours import DaleyKendall, MakiThompson

MODELS: dict[str, SpreadingModel] = {
    "independent_cascade": IndependentCascade(),
    "linear_threshold": LinearThreshold(),
    "daley_kendall": DaleyKendall(),
    "maki_thompson": MakiThompson(),
    "push": Push(),
    "pull": Pull(),
    "push_pull": PushPull(),
    "sir": Sir(),
}
