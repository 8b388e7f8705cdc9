"""The names of margin where type checkers look for them: at run time they load on first use."""

from margin import (
    base as base,
)
from margin import (
    baseline as baseline,
)
from margin import (
    bayes as bayes,
)
from margin import (
    boosting as boosting,
)
from margin import (
    data as data,
)
from margin import (
    deep as deep,
)
from margin import (
    distributed as distributed,
)
from margin import (
    ensemble as ensemble,
)
from margin import (
    evaluation as evaluation,
)
from margin import (
    experiment as experiment,
)
from margin import (
    explain as explain,
)
from margin import (
    export as export,
)
from margin import (
    features as features,
)
from margin import (
    interop as interop,
)
from margin import (
    linear as linear,
)
from margin import (
    multiclass as multiclass,
)
from margin import (
    neighbors as neighbors,
)
from margin import (
    persistence as persistence,
)
from margin import (
    plots as plots,
)
from margin import (
    report as report,
)
from margin import (
    selection as selection,
)
from margin import (
    svm as svm,
)
from margin import (
    tree as tree,
)
from margin import (
    zoo as zoo,
)
from margin.base import (
    TableEncoder as TableEncoder,
)
from margin.baseline import (
    MajorityClassifier as MajorityClassifier,
)
from margin.bayes import (
    BernoulliNB as BernoulliNB,
)
from margin.bayes import (
    CalibratedClassifier as CalibratedClassifier,
)
from margin.bayes import (
    CategoricalNB as CategoricalNB,
)
from margin.bayes import (
    ComplementNB as ComplementNB,
)
from margin.bayes import (
    DiagonalLinearDiscriminantAnalysis as DiagonalLinearDiscriminantAnalysis,
)
from margin.bayes import (
    GaussianNB as GaussianNB,
)
from margin.bayes import (
    JointBayes as JointBayes,
)
from margin.bayes import (
    LinearDiscriminantAnalysis as LinearDiscriminantAnalysis,
)
from margin.bayes import (
    MultinomialNB as MultinomialNB,
)
from margin.bayes import (
    NaiveBayes as NaiveBayes,
)
from margin.bayes import (
    QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis,
)
from margin.bayes import (
    ThresholdClassifier as ThresholdClassifier,
)
from margin.bayes import (
    bayes_rule as bayes_rule,
)
from margin.boosting import (
    AdaBoostClassifier as AdaBoostClassifier,
)
from margin.boosting import (
    AdaBoostMHClassifier as AdaBoostMHClassifier,
)
from margin.boosting import (
    AdaBoostRegressor as AdaBoostRegressor,
)
from margin.boosting import (
    BrownBoostClassifier as BrownBoostClassifier,
)
from margin.boosting import (
    GentleBoostClassifier as GentleBoostClassifier,
)
from margin.boosting import (
    GradientBoostingClassifier as GradientBoostingClassifier,
)
from margin.boosting import (
    GradientBoostingRegressor as GradientBoostingRegressor,
)
from margin.boosting import (
    LogitBoostClassifier as LogitBoostClassifier,
)
from margin.boosting import (
    LPBoostClassifier as LPBoostClassifier,
)
from margin.boosting import (
    RUSBoostClassifier as RUSBoostClassifier,
)
from margin.data import (
    Table as Table,
)
from margin.data import (
    read as read,
)
from margin.data import (
    scan as scan,
)
from margin.deep import (
    DCGAN as DCGAN,
)
from margin.deep import (
    GAN as GAN,
)
from margin.deep import (
    CycleGAN as CycleGAN,
)
from margin.deep import (
    FeatureClassifier as FeatureClassifier,
)
from margin.deep import (
    FeatureExtractor as FeatureExtractor,
)
from margin.deep import (
    ImageClassifier as ImageClassifier,
)
from margin.deep import (
    MLPClassifier as MLPClassifier,
)
from margin.deep import (
    MLPRegressor as MLPRegressor,
)
from margin.deep import (
    Pixels as Pixels,
)
from margin.deep import (
    SequenceClassifier as SequenceClassifier,
)
from margin.deep import (
    SequenceModel as SequenceModel,
)
from margin.deep import (
    TorchClassifier as TorchClassifier,
)
from margin.deep import (
    generative_report as generative_report,
)
from margin.ensemble import (
    BaggingClassifier as BaggingClassifier,
)
from margin.ensemble import (
    BaggingRegressor as BaggingRegressor,
)
from margin.ensemble import (
    ExtraTreesClassifier as ExtraTreesClassifier,
)
from margin.ensemble import (
    ExtraTreesRegressor as ExtraTreesRegressor,
)
from margin.ensemble import (
    GatedClassifier as GatedClassifier,
)
from margin.ensemble import (
    RandomForestClassifier as RandomForestClassifier,
)
from margin.ensemble import (
    RandomForestRegressor as RandomForestRegressor,
)
from margin.ensemble import (
    StackingClassifier as StackingClassifier,
)
from margin.ensemble import (
    StackingRegressor as StackingRegressor,
)
from margin.ensemble import (
    VotingClassifier as VotingClassifier,
)
from margin.ensemble import (
    VotingRegressor as VotingRegressor,
)
from margin.ensemble import (
    measure_out_of_bag as measure_out_of_bag,
)
from margin.evaluation import (
    bias_variance as bias_variance,
)
from margin.evaluation import (
    bias_variance_curve as bias_variance_curve,
)
from margin.evaluation import (
    brier_decomposition as brier_decomposition,
)
from margin.evaluation import (
    calibration_curve as calibration_curve,
)
from margin.evaluation import (
    compare_on as compare_on,
)
from margin.evaluation import (
    compare_scores as compare_scores,
)
from margin.evaluation import (
    confusion as confusion,
)
from margin.evaluation import (
    evaluate as evaluate,
)
from margin.evaluation import (
    gain_curve as gain_curve,
)
from margin.evaluation import (
    measure as measure,
)
from margin.evaluation import (
    measure_multilabel as measure_multilabel,
)
from margin.evaluation import (
    precision_recall_curve as precision_recall_curve,
)
from margin.evaluation import (
    risk_coverage as risk_coverage,
)
from margin.evaluation import (
    roc_curve as roc_curve,
)
from margin.experiment.whole_job import (
    compare as compare,
)
from margin.features import (
    PolynomialFeatures as PolynomialFeatures,
)
from margin.features import (
    QuadraticFeatures as QuadraticFeatures,
)
from margin.interop import (
    from_lightgbm as from_lightgbm,
)
from margin.interop import (
    from_sklearn as from_sklearn,
)
from margin.interop import (
    from_xgboost as from_xgboost,
)
from margin.linear import (
    ActivePerceptron as ActivePerceptron,
)
from margin.linear import (
    Adaline as Adaline,
)
from margin.linear import (
    LinearSGD as LinearSGD,
)
from margin.linear import (
    LogisticRegression as LogisticRegression,
)
from margin.linear import (
    LogisticRegressionCV as LogisticRegressionCV,
)
from margin.linear import (
    Perceptron as Perceptron,
)
from margin.linear import (
    hard_margin as hard_margin,
)
from margin.linear import (
    logistic_path as logistic_path,
)
from margin.linear import (
    loss_family as loss_family,
)
from margin.linear import (
    odds as odds,
)
from margin.linear import (
    odds_text as odds_text,
)
from margin.linear import (
    separation as separation,
)
from margin.multiclass import (
    ClassifierChain as ClassifierChain,
)
from margin.multiclass import (
    ErrorCorrectingCodes as ErrorCorrectingCodes,
)
from margin.multiclass import (
    OneVsOne as OneVsOne,
)
from margin.multiclass import (
    OneVsRest as OneVsRest,
)
from margin.neighbors import (
    KNeighborsClassifier as KNeighborsClassifier,
)
from margin.neighbors import (
    KNeighborsRegressor as KNeighborsRegressor,
)
from margin.neighbors import (
    NearestCentroid as NearestCentroid,
)
from margin.neighbors import (
    RadiusNeighborsClassifier as RadiusNeighborsClassifier,
)
from margin.neighbors import (
    RadiusNeighborsRegressor as RadiusNeighborsRegressor,
)
from margin.neighbors import (
    RoteClassifier as RoteClassifier,
)
from margin.neighbors import (
    choose_k as choose_k,
)
from margin.neighbors import (
    condense as condense,
)
from margin.neighbors import (
    curse as curse,
)
from margin.neighbors import (
    decision_regions as decision_regions,
)
from margin.neighbors import (
    edge_length as edge_length,
)
from margin.neighbors import (
    edit as edit,
)
from margin.neighbors import (
    kd_cuts as kd_cuts,
)
from margin.neighbors import (
    voronoi_edges as voronoi_edges,
)
from margin.plots import (
    plot_backpropagation as plot_backpropagation,
)
from margin.plots import (
    plot_bias_variance as plot_bias_variance,
)
from margin.plots import (
    plot_boosting_curve as plot_boosting_curve,
)
from margin.plots import (
    plot_calibration as plot_calibration,
)
from margin.plots import (
    plot_class_means as plot_class_means,
)
from margin.plots import (
    plot_coefficients as plot_coefficients,
)
from margin.plots import (
    plot_comparison as plot_comparison,
)
from margin.plots import (
    plot_confusion as plot_confusion,
)
from margin.plots import (
    plot_critical_difference as plot_critical_difference,
)
from margin.plots import (
    plot_curse as plot_curse,
)
from margin.plots import (
    plot_densities as plot_densities,
)
from margin.plots import (
    plot_ellipses as plot_ellipses,
)
from margin.plots import (
    plot_gains as plot_gains,
)
from margin.plots import (
    plot_importances as plot_importances,
)
from margin.plots import (
    plot_k_choice as plot_k_choice,
)
from margin.plots import (
    plot_kd_tree as plot_kd_tree,
)
from margin.plots import (
    plot_learning_curve as plot_learning_curve,
)
from margin.plots import (
    plot_losses as plot_losses,
)
from margin.plots import (
    plot_margin as plot_margin,
)
from margin.plots import (
    plot_memory as plot_memory,
)
from margin.plots import (
    plot_network as plot_network,
)
from margin.plots import (
    plot_optimizer_paths as plot_optimizer_paths,
)
from margin.plots import (
    plot_out_of_bag as plot_out_of_bag,
)
from margin.plots import (
    plot_partial_dependence as plot_partial_dependence,
)
from margin.plots import (
    plot_path as plot_path,
)
from margin.plots import (
    plot_precision_recall as plot_precision_recall,
)
from margin.plots import (
    plot_proximities as plot_proximities,
)
from margin.plots import (
    plot_rate_finder as plot_rate_finder,
)
from margin.plots import (
    plot_regions as plot_regions,
)
from margin.plots import (
    plot_risk_coverage as plot_risk_coverage,
)
from margin.plots import (
    plot_roc as plot_roc,
)
from margin.plots import (
    plot_shap_case as plot_shap_case,
)
from margin.plots import (
    plot_shap_summary as plot_shap_summary,
)
from margin.plots import (
    plot_training as plot_training,
)
from margin.plots import (
    plot_transformed_space as plot_transformed_space,
)
from margin.plots import (
    plot_tree as plot_tree,
)
from margin.plots import (
    plot_tree_correlation as plot_tree_correlation,
)
from margin.plots import (
    plot_tree_size as plot_tree_size,
)
from margin.plots import (
    plot_validation_curve as plot_validation_curve,
)
from margin.selection import (
    GridSearch as GridSearch,
)
from margin.selection import (
    HalvingSearch as HalvingSearch,
)
from margin.selection import (
    LogSearch as LogSearch,
)
from margin.selection import (
    RandomSearch as RandomSearch,
)
from margin.selection import (
    audit as audit,
)
from margin.selection import (
    knee as knee,
)
from margin.selection import (
    learning_curve as learning_curve,
)
from margin.selection import (
    nested as nested,
)
from margin.selection import (
    validation_curve as validation_curve,
)
from margin.svm import (
    SVC as SVC,
)
from margin.svm import (
    SVR as SVR,
)
from margin.svm import (
    LinearSVC as LinearSVC,
)
from margin.svm import (
    LinearSVR as LinearSVR,
)
from margin.svm import (
    NuSVC as NuSVC,
)
from margin.svm import (
    ObjectKernel as ObjectKernel,
)
from margin.svm import (
    OneClassSVM as OneClassSVM,
)
from margin.svm import (
    PegasosClassifier as PegasosClassifier,
)
from margin.svm import (
    Reject as Reject,
)
from margin.svm import (
    SpectrumKernel as SpectrumKernel,
)
from margin.svm import (
    check_kernel as check_kernel,
)
from margin.svm import (
    choose_C as choose_C,
)
from margin.svm import (
    explicit_map as explicit_map,
)
from margin.svm import (
    kernel_matrix as kernel_matrix,
)
from margin.svm import (
    svm_path as svm_path,
)
from margin.tree import (
    C45 as C45,
)
from margin.tree import (
    ID3 as ID3,
)
from margin.tree import (
    DecisionStump as DecisionStump,
)
from margin.tree import (
    DecisionTreeClassifier as DecisionTreeClassifier,
)
from margin.tree import (
    DecisionTreeRegressor as DecisionTreeRegressor,
)
from margin.tree import (
    Discretizer as Discretizer,
)

__version__: str
